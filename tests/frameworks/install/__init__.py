"""Real loops of the frameworks, with a model that is a script, for the tests of `install`."""
