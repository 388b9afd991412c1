import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PACKAGE_ROOT } from '../../common/package-root.js';
import { VERSION } from '../../common/version.js';
import { loadContainerConfig } from '../../config/env.js';
import { CliError } from '../cli-error.js';
import type { Terminal } from '../terminal.js';
import { DOCKERFILE, withBuildContext, type BuildContext } from './build-context.js';
import { errorMessageOf, type Engine, type EngineName } from './engine.js';
import { chooseEngine } from './engine.js';

/** Name of our newest image, as a base for others. */
const LATEST_IMAGE = 'localhost/waystation-agent:latest';
/** Label set by the Dockerfile; images built on ours inherit it. */
const OURS = 'waystation.image';
const DIGITS = 12;

export interface ImageRequest {
  /** From the definition file; null for our image. */
  image: string | null;
  /** The base of our image; null for the Dockerfile's default. */
  baseImage: string | null;
}

/**
 * The image to start; builds ours if it is missing.
 * @throws CliError when the wanted one is missing or not built on ours, or the build fails
 */
export async function ensureImage(engine: Engine, wish: ImageRequest, terminal: Terminal): Promise<string> {
  if (wish.image !== null) return checkImage(engine, wish.image);
  const image = `localhost/waystation-agent:${VERSION}-${digestOf(wish.baseImage)}`;
  if ((await labelsOf(engine, image)) === null) {
    terminal.print(`Building the image ${image} with ${engine.name}. This happens once per version.`);
    await withBuildContext((context) => build(engine, image, context, wish.baseImage));
  }
  return image;
}

/** Builds our image if necessary and prints the name to use in FROM. */
export async function printImage(
  { engine, json }: { engine?: EngineName; json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const note = { ...terminal, print: (line: string) => terminal.printError(line) };
  await ensureImage(await chooseEngine(engine), { image: null, baseImage: loadContainerConfig().baseImage }, note);
  terminal.print(json ? JSON.stringify({ image: LATEST_IMAGE }) : LATEST_IMAGE);
}

async function checkImage(engine: Engine, image: string): Promise<string> {
  const labels = await labelsOf(engine, image);
  if (labels === null)
    throw new CliError(`There is no image ${image} here. Fetch or build it: ${engine.name} pull ${image}`);
  if (labels[OURS] !== undefined) return image;
  throw new CliError(
    `The image ${image} is not built on Waystation's. Begin its Dockerfile with FROM ${LATEST_IMAGE}, which \`waystation image\` builds.`,
  );
}

/** Null if this machine has no such image. */
async function labelsOf(engine: Engine, image: string): Promise<Record<string, string> | null> {
  const result = await engine.run(['image', 'inspect', '--format', '{{json .Config.Labels}}', image]);
  return result.code === 0 ? ((JSON.parse(result.stdout) as Record<string, string> | null) ?? {}) : null;
}

async function build(engine: Engine, image: string, context: BuildContext, baseImage: string | null): Promise<void> {
  const args = ['--build-arg', `PACKAGE_DIR=${context.packageDir}`, '--label', `${OURS}.version=${VERSION}`];
  if (baseImage !== null) args.push('--build-arg', `BASE_IMAGE=${baseImage}`);
  // Podman's own format has no health checks. A single layer avoids a copy for each line of the Dockerfile.
  if (engine.name === 'podman') args.push('--format', 'docker', '--layers=false');
  const tags = ['--tag', image, '--tag', LATEST_IMAGE];
  const result = await engine.run(['build', '--file', DOCKERFILE, ...tags, ...args, context.folder]);
  if (result.code === 0) return;
  throw new CliError(
    `The image could not be built: ${errorMessageOf(result)}\nWithout a registry, WAYSTATION_BASE_IMAGE can name a local image that has Node, Python 3 and tini.`,
  );
}

/** Changed program files need a new image, even in a clone under development. */
function digestOf(baseImage: string | null): string {
  const hash = createHash('sha256').update(baseImage ?? '');
  const files = [DOCKERFILE, path.join(PACKAGE_ROOT, 'package.json')];
  for (const file of [...files, ...programFiles()]) {
    if (existsSync(file)) hash.update(`\0${path.relative(PACKAGE_ROOT, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, DIGITS);
}

function programFiles(): string[] {
  const folder = path.join(PACKAGE_ROOT, 'dist');
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true }).map(String);
  return names
    .filter((name) => /\.js$/.test(name))
    .sort()
    .map((name) => path.join(folder, name));
}
