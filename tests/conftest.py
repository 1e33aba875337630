"""What every test of the repository shares."""

pytest_plugins = ["pytester"]
