// Builds the files that the server serves at /clients/: the packages of clients/ for npm and pip, and their list with SHA-256 hashes, as a
// page and as JSON.
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { NPM_CLIENTS, buildClient } from '../clients/build.mjs';
import { escaped, guidePage } from './guides/page.mjs';
import { pythonWheel } from './python-wheel.mjs';

const PYTHON_CLIENTS = ['python', 'langgraph-python'];
/** In the page's commands; `clients.js` replaces it with the server's address. */
const THIS_SERVER = 'http://127.0.0.1:8000';

const root = path.dirname(import.meta.dirname);
const clients = path.join(root, 'clients');
const target = path.join(root, 'dist', 'clients');
const stage = path.join(root, '.tmp', 'clients');

/** Works offline and reproducibly. @param guides linked by the page */
export async function buildClients(guides) {
  mkdirSync(target, { recursive: true });
  const license = readFileSync(path.join(root, 'LICENSE'));
  const packages = [
    ...(await packForNpm(license)),
    ...PYTHON_CLIENTS.map((name) => {
      const wheel = pythonWheel(path.join(clients, name), license);
      writeFileSync(path.join(target, wheel.name), wheel.bytes);
      return { file: wheel.name, ...wheel.project, installer: 'pip' };
    }),
  ].map((one) => {
    const bytes = readFileSync(path.join(target, one.file));
    return { ...one, url: `/clients/${one.file}`, bytes: bytes.length, sha256: hash('sha256', bytes) };
  });
  writeFileSync(path.join(target, 'index.json'), `${JSON.stringify({ packages }, null, 2)}\n`);
  writeFileSync(path.join(target, 'index.html'), pageOf(packages, guides));
  cpSync(path.join(import.meta.dirname, 'guides', 'clients.js'), path.join(target, 'clients.js'));
}

/** Names have no version, so that commands stay the same. */
async function packForNpm(license) {
  rmSync(stage, { recursive: true, force: true });
  const folders = [];
  for (const name of NPM_CLIENTS) {
    const folder = path.join(stage, name);
    mkdirSync(folder, { recursive: true });
    const manifest = manifestOf(name);
    for (const spare of ['scripts', 'devDependencies']) delete manifest[spare];
    await buildClient(name, path.join(folder, 'dist'));
    for (const kept of [...manifest.files, 'README.md'].filter((one) => !['dist', 'LICENSE'].includes(one))) {
      cpSync(path.join(clients, name, kept), path.join(folder, kept), { recursive: true });
    }
    writeFileSync(path.join(folder, 'LICENSE'), license);
    writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    folders.push(folder);
  }
  const pack = ['pack', ...folders, '--json', '--pack-destination', stage];
  const { status, stdout, stderr } = spawnSync('npm', pack, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The clients cannot be packed: ${stderr}`);
  return JSON.parse(stdout).map(({ filename, name, version }, at) => {
    const file = `${name.replace('@', '').replace('/', '-')}.tgz`;
    renameSync(path.join(stage, filename), path.join(target, file));
    return { file, name, version, summary: manifestOf(NPM_CLIENTS[at]).description, installer: 'npm' };
  });
}

function manifestOf(name) {
  return JSON.parse(readFileSync(path.join(clients, name, 'package.json'), 'utf8'));
}

function pageOf(packages, guides) {
  const rows = packages.map(
    ({ file, name, version, summary, bytes, sha256 }) => `<tr>
<td><a href="/clients/${file}">${escaped(name)}</a> ${version}<br>${escaped(summary)}</td>
<td>${Math.ceil(bytes / 1024)} KB</td>
<td class="digest"><code>${sha256}</code></td>
</tr>`,
  );
  const body = `<p>This server serves the clients that fit it. An adapter needs the client of its language beside it, so name both in one command:</p>
<pre class="commands">${commandsFor(packages)}</pre>
<div class="scrolls" tabindex="0"><table>
<thead><tr><th>Package</th><th>Size</th><th>SHA-256</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>
<p>The same list as JSON: <code>curl -H 'Accept: application/json' ${THIS_SERVER}/clients/</code></p>
<script src="/clients/clients.js"></script>`;
  return guidePage(
    { file: 'clients', url: '/clients/', title: 'Clients', heading: 'Clients', sections: [], body },
    guides,
  );
}

function commandsFor(packages) {
  const clientFor = (installer) => packages.find((one) => one.installer === installer);
  return packages
    .map((one) => {
      const needed = clientFor(one.installer);
      const urls = [...new Set([needed, one])].map(({ url }) => THIS_SERVER + url);
      return `<code>${one.installer === 'npm' ? 'npm i' : 'pip install'} ${urls.join(' ')}\n</code>`;
    })
    .join('');
}
