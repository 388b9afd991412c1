import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The benchmark's handle of the generator process, which runs one job at a time. */
export class Generator {
  #child;

  constructor() {
    this.#child = fork(fileURLToPath(new URL('./main.mjs', import.meta.url)), {
      execArgv: ['--max-old-space-size=8192'],
    });
    this.#child.setMaxListeners(0);
  }

  get pid() {
    return this.#child.pid;
  }

  /**
   * @param {string} job name of a file in bench/jobs
   * @param {object} params of that job; plain data
   * @param {{port: number, token: string}} server
   * @param {{connections: number, maxSeconds: number, perSecond?: number}} options
   * @returns {Promise<Record<string, any>>} the report of `Load.run`
   * @throws {Error} when the job could not run at all; wrong responses are counted instead
   */
  run(job, params, server, options) {
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error('the load generator ended'));
      this.#child.once('exit', onExit);
      this.#child.once('message', (answer) => {
        this.#child.off('exit', onExit);
        if (answer.error) reject(new Error(`job ${job}: ${answer.error}`));
        else resolve(answer.result);
      });
      this.#child.send({ job, params, server: { port: server.port, token: server.token }, options });
    });
  }

  stop() {
    if (this.#child.connected) this.#child.disconnect();
  }
}
