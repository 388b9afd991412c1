# The image of the agent process, and of everything else that the command line does. `waystation run` builds it by itself.
# From a clone, by hand: npm run pack && docker build --tag waystation-agent .tmp/package

# By tag, not by digest: it is built where it is used, also years from now, and must bring the fixes of its day, on every architecture.
# Who wants the same bytes each time names them: BASE_IMAGE, or WAYSTATION_BASE_IMAGE for `waystation run`, may end in @sha256:...
# Must have a shell and Node 20.19 or later; Python 3 and tini, or apt-get to fetch them.
ARG BASE_IMAGE=docker.io/library/node:20-bookworm-slim
FROM ${BASE_IMAGE}

# tini hands signals on and waits for the orphans of programs, which Node does not.
RUN if ! { command -v python3 && command -v tini; } > /dev/null; then \
      apt-get update && apt-get install -y --no-install-recommends python3 tini ca-certificates && rm -rf /var/lib/apt/lists/*; \
    fi

COPY . /opt/app

# Where the package lies in the context: other places only where it is a dependency of something else.
ARG PACKAGE_DIR=.
# Packages that came along are used if they work in here, native parts included. Else they are installed.
# Programs of agents find `waystation/client`, wherever they lie.
RUN ln -s "/opt/app/${PACKAGE_DIR}" /opt/waystation && cd /opt/waystation \
 && { node --eval "require('sqlite3')" 2> /dev/null && node dist/cli.js --version > /dev/null \
      || npm install --omit=dev; } \
 && mkdir -p /node_modules /usr/local/bin /agent /var/lib/waystation \
 && ln -s /opt/waystation /node_modules/waystation \
 && chmod 755 dist/cli.js && ln -s /opt/waystation/dist/cli.js /usr/local/bin/waystation \
 && echo 'waystation:x:10001:10001::/var/lib/waystation:/bin/sh' >> /etc/passwd \
 && chown 10001:10001 /var/lib/waystation && chmod 700 /var/lib/waystation

LABEL waystation.image=agent
ENV HOME=/var/lib/waystation WAYSTATION_HOME=/var/lib/waystation WAYSTATION_STATE_DIR=/var/lib/waystation/agent \
    WAYSTATION_AGENT_HOST=0.0.0.0 WAYSTATION_AGENT_PORT=9100
USER 10001:10001
WORKDIR /var/lib/waystation
VOLUME /var/lib/waystation
EXPOSE 9100
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.WAYSTATION_AGENT_PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "node", "/opt/waystation/dist/cli.js"]
CMD ["agent", "/agent/agents.yaml"]
