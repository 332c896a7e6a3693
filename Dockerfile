# The command line in a container, without a compiler or a root user. It writes only requested
# files. docs/how-to/use-a-container.md explains how to run it.
ARG BASE=python:3.13-slim-bookworm

FROM ${BASE} AS built
COPY pyproject.toml README.md CHANGELOG.md LICENSE /source/
COPY runtime /source/runtime
COPY toolchain /source/toolchain
COPY counting /source/counting
RUN python3 -m venv /opt/brrkit \
    && /opt/brrkit/bin/pip install --no-cache-dir --only-binary=:all: '/source[evaluate]'

FROM ${BASE}
COPY --from=built /opt/brrkit /opt/brrkit
RUN useradd --uid 10001 --no-create-home --home-dir /nonexistent brrkit
# matplotlib needs a home directory for its settings.
ENV PATH=/opt/brrkit/bin:$PATH MPLCONFIGDIR=/tmp PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /work
ENTRYPOINT ["brr"]
CMD ["--help"]
