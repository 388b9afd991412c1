import type { ProgramIds } from './program-event.js';

/** Linux takes at most 128 KiB for one variable (MAX_ARG_STRLEN); longer messages come only on standard input. */
const MAX_VARIABLE_BYTES = 64 * 1024;

/** The facts about its run that a program gets. */
export interface ProgramBriefing {
  ids: ProgramIds;
  message: string;
  /** JSON text of an object; null for none. */
  context: string | null;
  isResumed: boolean;
  /** JSON text; null for none. */
  checkpoint: string | null;
}

/** The line that the program gets on standard input. Foreign texts are passed unchanged. */
export function inputLine({ ids, message, context, isResumed, checkpoint }: ProgramBriefing): string {
  const { agent_id, thread_id, trace_id } = ids;
  const head = JSON.stringify({ message, agent_id, thread_id, trace_id }).slice(0, -1);
  return `${head},"context":${oneLine(context)},"resumed":${isResumed},"checkpoint":${oneLine(checkpoint)}}`;
}

/** The program's environment: the API's address, a token unless the API is away, and the run's folder. */
export function programEnv(
  { ids, message }: Pick<ProgramBriefing, 'ids' | 'message'>,
  env: Readonly<Record<string, string>>,
  { url, token, runFolder }: { url: string; token: string | null; runFolder: string },
): Record<string, string> {
  const variables: Record<string, string> = {
    // Bash takes a socket as standard input for a remote login and reads ~/.bashrc, unless a parent shell has set SHLVL.
    SHLVL: '1',
    // Python buffers output to a pipe in blocks: steps would appear only at the end, and be lost with a killed program.
    PYTHONUNBUFFERED: '1',
    ...env,
    WAYSTATION_API_URL: url,
    WAYSTATION_AGENT_ID: ids.agent_id,
    WAYSTATION_THREAD_ID: ids.thread_id,
    WAYSTATION_TRACE_ID: ids.trace_id,
    WAYSTATION_RUN_DIR: runFolder,
  };
  // Never inherited: programs trust the token that they find under this name.
  delete variables.WAYSTATION_TOKEN;
  if (token !== null) variables.WAYSTATION_TOKEN = token;
  const canBeVariable = Buffer.byteLength(message) <= MAX_VARIABLE_BYTES && !message.includes('\0');
  if (canBeVariable) variables.WAYSTATION_MESSAGE = message;
  return variables;
}

/** JSON has line ends only between its tokens, where a space does as well. */
function oneLine(json: string | null): string {
  return json === null ? 'null' : json.replace(/[\r\n]+/g, ' ');
}
