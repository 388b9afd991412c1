import { defaultHome } from '../common/user-home.js';

/** How the command line creates containers for agents. */
export class ContainerConfig {
  /** Per-user directory (`WAYSTATION_HOME`). Each has its own containers. */
  home = defaultHome() ?? '';

  /**
   * Base of our image (`WAYSTATION_BASE_IMAGE`); null means the Dockerfile's. It must have a shell and Node,
   * and either Python 3 and tini or apt-get to install them.
   */
  baseImage: string | null = null;
}
