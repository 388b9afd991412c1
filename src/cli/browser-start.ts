import { spawn } from 'node:child_process';

/** By then a program that cannot open a browser has said so; some stay until the browser is closed. */
const PATIENCE_MS = 3_000;

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, (url: string) => [program: string, ...args: string[]]>>> = {
  darwin: (url) => ['open', url],
  win32: (url) => ['rundll32', 'url.dll,FileProtocolHandler', url],
};

/** Opens the address in the browser of the person at this machine. Answers whether that seems to have worked. */
export function startBrowser(url: string, platform: NodeJS.Platform = process.platform): Promise<boolean> {
  const [program, ...args] = OPENERS[platform]?.(url) ?? ['xdg-open', url];
  const child = spawn(program, args, { detached: true, stdio: 'ignore' });
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), PATIENCE_MS);
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
    child.unref();
    // A slow browser must not hold the command, nor may the command end before it knows.
    child.once('exit', () => clearTimeout(timer));
    child.once('error', () => clearTimeout(timer));
  });
}
