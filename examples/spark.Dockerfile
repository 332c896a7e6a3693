# The container as a worker of a Spark cluster: docs/how-to/use-a-container.md.
ARG IMAGE=brrkit
FROM ${IMAGE}
USER root
# PySpark has no wheel; it is Python and Java, so no compiler is needed.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends openjdk-17-jre-headless procps \
    && rm -rf /var/lib/apt/lists/* \
    && pip install --no-cache-dir 'brrkit[spark]'
ENV PYSPARK_PYTHON=/opt/brrkit/bin/python3
USER 10001:10001
ENTRYPOINT ["spark-class", "org.apache.spark.deploy.worker.Worker", "--work-dir", "/tmp/work"]
CMD ["--help"]
