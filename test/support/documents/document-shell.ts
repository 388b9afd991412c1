import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const PROJECT = path.resolve(import.meta.dirname, '../../..');
const END = '=== end of the block ===';

/**
 * The built program under the names that documents use. Server and agent processes, which documents start "in another terminal", run in the
 * background until the shell ends. Streams are cut off after a while, as a reader would do. Deciding first waits until the example agent
 * has asked, and then for its reaction; retrying a run first gives its program time to end. Prompts on a terminal get their answers.
 */
const COMMANDS = String.raw`
set -e -o pipefail
waystation() {
  case "$1" in
    serve) cat "$SERVER_OUTPUT"; return ;;
    agent) case "$*" in *--check*|*--preview*|*--try*|*--help*) ;; *) in_background "$@"; return ;; esac ;;
    channels) case "$*" in *' telegram '*|*transport=*) answering_prompts "$@"; return ;; esac ;;
    invoke) cli "$@" || [ $? = 5 ]; return ;;
    approve|reject) until_refund_has_asked; cli "$@"; until_refund_has_gone_on; return ;;
  esac
  cli "$@"
}
answering_prompts() { printf 123456:ABC | cli "$@" --field-file bot_token=-; }
cli() { "$NODE" "$PROJECT/dist/cli.js" "$@"; }
# Not by the command line: asking with it again and again would take a processor for itself.
has_any() {
  local secret; secret=$(cat "$WAYSTATION_HOME/.api-secret")
  [[ $(command curl -sS --fail -H "Authorization: Bearer $secret" "$WAYSTATION_API_URL$1") == *'"items":[{'* ]]
}
until_refund_has_asked() {
  until has_any '/approvals?agent_id=refund'; do sleep 0.2; done
}
until_refund_has_gone_on() {
  while has_any '/threads?agent_id=refund&status=approved&status=rejected'; do sleep 0.2; done
}
in_background() {
  "$NODE" "$PROJECT/dist/cli.js" "$@" >"$HOME/background.log" 2>&1 &
  until grep -q '^  reports' "$HOME/background.log"; do
    kill -0 $! || { cat "$HOME/background.log" >&2; return 1; }
    sleep 0.1
  done
}
npx() { [ "$1" = waystation ] || { echo "npx $1: not in this test" >&2; return 1; }; shift; waystation "$@"; }
npm() { [ "$1" = start ] || { echo "npm $1: not in this test" >&2; return 1; }; waystation serve; }
curl() {
  case "$*" in
    *-sN*) command curl --max-time 2 "$@" || [ $? = 28 ] ;;
    */retry*) until command curl --fail "$@"; do sleep 0.2; done ;;
    *) command curl "$@" ;;
  esac
}
trap 'for job in $(jobs -p); do kill "$job"; done; wait' EXIT
`;

/** The output of a block. */
export interface BlockResult {
  stdout: string;
  stderr: string;
}

/** One bash for all shell blocks of a document, like its reader's: variables carry over. */
export class DocumentShell {
  private readonly output = { stdout: '', stderr: '' };
  private readonly ended: Promise<unknown>;
  private wake: () => void = () => undefined;

  private constructor(private readonly child: ChildProcess) {
    this.ended = once(child, 'close').then(() => this.wake());
    child.stdin?.on('error', () => undefined);
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.on('data', (chunk: Buffer) => {
        this.output[name] += chunk.toString('utf8');
        this.wake();
      });
    }
    child.stdin?.write(COMMANDS);
  }

  /** @param env in addition to the programs' paths; `SERVER_OUTPUT` is a file with the server's output */
  static start(cwd: string, env: Record<string, string>): DocumentShell {
    const { PATH, TMPDIR } = process.env;
    const own = { PATH, TMPDIR, NODE: process.execPath, PROJECT, ...env };
    return new DocumentShell(spawn('bash', [], { cwd, env: own, stdio: ['pipe', 'pipe', 'pipe'], detached: true }));
  }

  /** @throws if a command of the block fails, with its output */
  async run(text: string, timeoutMs = 180_000): Promise<BlockResult> {
    this.output.stdout = this.output.stderr = '';
    this.child.stdin?.write(`{\n${text}\n} </dev/null\nprintf '${END}\\n'; printf '${END}\\n' >&2\n`);
    const timer = setTimeout(() => process.kill(-this.child.pid!, 'SIGKILL'), timeoutMs);
    while (!this.isAtEnd) {
      if (this.child.exitCode !== null || this.child.signalCode !== null) break;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    clearTimeout(timer);
    const { stdout, stderr } = this.output;
    if (!this.isAtEnd)
      throw new Error(`A command failed, or did not end:\n${text}\n--- it printed:\n${stdout}\n${stderr}`);
    return { stdout: stdout.replace(`${END}\n`, ''), stderr: stderr.replace(`${END}\n`, '') };
  }

  /** Ends everything that the blocks started. */
  async close(): Promise<void> {
    this.child.stdin?.end();
    await this.ended;
  }

  private get isAtEnd(): boolean {
    return this.output.stdout.includes(END) && this.output.stderr.includes(END);
  }
}
