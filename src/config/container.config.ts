import os from 'node:os';
import path from 'node:path';

/** How the command line makes containers for agents. */
export class ContainerConfig {
  /** Per-user directory (`WAYSTATION_HOME`). Containers belong to it: another one has others. */
  home = path.join(os.homedir(), '.waystation');

  /**
   * Image that ours is built upon (`WAYSTATION_BASE_IMAGE`); null means the one that the Dockerfile names. It must have a shell and Node,
   * and Python 3 and tini or else apt-get to fetch them.
   */
  baseImage: string | null = null;
}
