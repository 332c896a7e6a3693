"""The parts of an audit that look for one mistake each; the others compare pairs of inputs."""
