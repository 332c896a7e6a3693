#!/bin/sh
# Fails with a message if the Kotlin library can't be compiled. It needs a JDK 17 or later and
# Maven.
for tool in java javac mvn; do
    command -v $tool >/dev/null || {
        echo "$tool isn't installed (JDK 17 or later, Maven)"
        exit 1
    }
done
version=$(javac -version 2>&1 | sed 's/javac \([0-9]*\).*/\1/')
[ "$version" -ge 17 ] || {
    echo "this JDK is version $version, older than 17"
    exit 1
}
