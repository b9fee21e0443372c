"""What is promised, shown: `python -m proof` runs it all and prints each figure beside its bar."""
