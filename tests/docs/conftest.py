from toolchain_fixtures import *  # noqa: F403
