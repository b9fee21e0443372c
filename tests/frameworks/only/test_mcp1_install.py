"""What `install` does for a client whose server is another process, in version 1: the same as in version 2."""

from only import test_mcp_install

for name, one in vars(test_mcp_install).items():
    if name == "installed" or (name.startswith("test_") and "low_level" not in name):
        globals()[name] = one
