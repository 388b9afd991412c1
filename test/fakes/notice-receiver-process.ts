import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { freePort } from '../support/free-port.js';
import { waitFor } from '../support/wait.js';
import type { ReceivedNotice } from './notice-receiver.js';

/** Writes down what it hears before it answers. */
const PROGRAM = `
  const fs = require('node:fs');
  const [port, file] = process.argv.slice(1);
  const server = require('node:http').createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const call = { id: request.headers['webhook-id'], event: JSON.parse(Buffer.concat(chunks)) };
      fs.appendFileSync(file, JSON.stringify(call) + '\\n');
      response.writeHead(204).end();
    });
  });
  server.listen(Number(port), '127.0.0.1', () => console.log('listening'));`;

/** Somebody whom notices are sent to, in a process of its own that may be killed; what it has heard is kept in a file. */
export class NoticeReceiverProcess {
  private child: ChildProcess | null = null;

  private constructor(
    private readonly port: number,
    private readonly file: string,
  ) {}

  /** @param file where it keeps what it hears */
  static async start(file: string): Promise<NoticeReceiverProcess> {
    const receiver = new NoticeReceiverProcess(await freePort(), file);
    await receiver.start();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** In the order of their arrival, of all its lives. */
  get calls(): Pick<ReceivedNotice, 'id' | 'event'>[] {
    const lines = readFileSync(this.file, { encoding: 'utf8', flag: 'a+' }).split('\n');
    // The last one may be half written.
    return lines.slice(0, -1).map((line) => JSON.parse(line) as ReceivedNotice);
  }

  /** Again on the same port. */
  async start(): Promise<void> {
    const args = ['-e', PROGRAM, String(this.port), this.file];
    this.child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let isListening = false;
    this.child.stdout!.once('data', () => (isListening = true));
    await waitFor('the receiver to listen', () => isListening);
  }

  /** kill -9. */
  async kill(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null) return;
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}
