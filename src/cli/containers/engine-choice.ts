import { trimEndOf } from '../../common/trim-end.js';
import { CliError } from '../cli-error.js';
import { complaintOf, Engine, ENGINES, isMissing, type EngineName } from './engine.js';

const NO_CONTAINER = ['ps', '--quiet', '--filter', 'label=waystation.none'];

/**
 * The named engine, else the first that works.
 * @throws CliError that says what is missing
 */
export async function chooseEngine(wanted: EngineName | undefined): Promise<Engine> {
  const [engine] = await workingEngines(wanted);
  return engine!;
}

/**
 * The named engine, else all that work: at least one.
 * @throws CliError that says what is missing
 */
export async function workingEngines(wanted: EngineName | undefined): Promise<Engine[]> {
  const names = wanted === undefined ? ENGINES : [wanted];
  const states = await Promise.all(names.map((name) => stateOf(new Engine(name))));
  const working = states.filter(({ fault }) => fault === null).map(({ engine }) => engine);
  if (working.length > 0) return working;
  const broken = states.flatMap(({ engine, fault }) =>
    fault ? [`${engine.name} is here but does not work: ${fault}`] : [],
  );
  if (broken.length > 0) throw new CliError(`${broken.join('; ')}. Start it, or name another engine with --engine.`);
  if (wanted !== undefined) {
    throw new CliError(`There is no ${wanted} on this machine. Install it, or omit --engine to use another.`);
  }
  throw new CliError(
    'There is neither docker nor podman on this machine. Install one of them, or run the agents without a container: waystation agent FILE',
  );
}

interface EngineState {
  engine: Engine;
  /** Null if it works, empty if it is missing, else its message. */
  fault: string | null;
}

/** A client without its daemon is installed but useless. */
async function stateOf(engine: Engine): Promise<EngineState> {
  const answer = await engine.ask(NO_CONTAINER);
  if (answer.code === 0) return { engine, fault: null };
  return { engine, fault: isMissing(answer) ? '' : trimEndOf(complaintOf(answer), '.?') };
}
