from toolchain_fixtures import sample_bundle  # noqa: F401
