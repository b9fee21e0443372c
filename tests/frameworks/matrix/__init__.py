"""What the tests of every framework share: the table of frameworks, a driver for each, the tool that they are given."""
