import type { INestApplication } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { Scope } from '../common/principal.js';
import { VERSION } from '../common/version.js';
import { PUBLIC_EXTENSION, SCOPES_EXTENSION } from './access.decorators.js';
import { serveClients } from './client-packages.js';
import { DOCS_PAGE, serveGuides } from './docs-page.js';
import { OPEN_EXTENSION } from './schemas.js';
import { ProblemDto, problemResponse } from './problem.dto.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & {
  [PUBLIC_EXTENSION]?: boolean;
  [SCOPES_EXTENSION]?: readonly Scope[];
};

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

const DESCRIPTION = `Records the history of agent runs, lets agents resume from their last checkpoint, and lets people decide on tool calls.

Every request, except to public routes, needs \`Authorization: Bearer <token>\`: the machine secret (\`waystation secret\`) or a token created
with \`POST /v1/tokens\`. Only the page at \`/console/\` sends a cookie and the header \`X-Waystation-Console\` instead. Failures are \`application/problem+json\` (RFC 9457) with a stable \`code\`. Every response carries \`X-Request-Id\`.`;

const TAGS: Record<string, string> = {
  threads: 'Threads, with their runs, checkpoints and logs.',
  approvals: 'Tool calls that wait for a person.',
  rules: 'Decisions that people make once for all tool calls of a kind.',
  effects: 'Tool calls that change the world, and their outcomes.',
  runners: 'How agents report their runs and resume them.',
  states: 'States of graphs, for the checkpointers of LangGraph.',
  agents: 'Agent processes that send heartbeats.',
  channels: 'Messaging platforms through which people talk to agents.',
  notices: 'Signed calls that tell other services what happens.',
  tokens: 'Tokens with limited scope, in addition to the machine secret.',
  console: 'How people sign in to the page at `/console/`.',
  'example data': 'Example data for a new server.',
  health: 'Whether the server is up, and whether it can serve.',
};

/** Serves the reference at /docs, the document at /docs-json, the guides and the clients, all public. */
export function setUpDocs(app: NestExpressApplication): void {
  serveGuides(app);
  serveClients(app);
  // The page's requests go to its own origin: its content security policy allows no other.
  const servers = [{ url: '/', description: 'The server that this page came from' }];
  SwaggerModule.setup('docs', app, () => ({ ...createOpenApiDocument(app), servers }), {
    jsonDocumentUrl: 'docs-json',
    raw: ['json'],
    ...DOCS_PAGE,
  });
}

/** The OpenAPI document of all routes. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Waystation')
    .setDescription(DESCRIPTION)
    .setVersion(VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('http://127.0.0.1:8000', 'A server on this machine')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'The machine secret or a scoped token.' }, 'bearer')
    .addSecurityRequirements('bearer');
  for (const [tag, description] of Object.entries(TAGS)) builder.addTag(tag, description);
  const document = SwaggerModule.createDocument(app, builder.build(), {
    extraModels: [ProblemDto],
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  for (const operation of operationsOf(document)) complete(operation);
  for (const [path, operations] of Object.entries(document.paths)) nameOnce(path, operations);
  for (const schema of Object.values(document.components?.schemas ?? {})) open(schema);
  return document;
}

function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.values(document.paths).flatMap((path) => METHODS.flatMap((method) => path[method] ?? []));
}

/** Adds what all operations share, so that no controller repeats it. */
function complete(operation: Operation): void {
  const isPublic = operation[PUBLIC_EXTENSION] === true;
  const scopes = operation[SCOPES_EXTENSION] ?? [];
  delete operation[PUBLIC_EXTENSION];
  delete operation[SCOPES_EXTENSION];
  if (isPublic) operation.security = [];
  else operation.description = withScopes(operation.description ?? '', scopes);
  const statuses = isPublic ? [400, 403, 431, 500] : [400, 401, 403, 431, 500, 503];
  for (const status of statuses) operation.responses[String(status)] ??= problemResponse(status);
}

/** Who may call the operation comes from `@Scopes`, so that descriptions cannot contradict it. */
function withScopes(description: string, scopes: readonly Scope[]): string {
  if (/^(Only with s|With s|S)cope/.test(description)) {
    throw new Error(`Leave the scope out, @Scopes documents it: ${description}`);
  }
  const names = scopes.map((scope) => `\`${scope}\``).join(', ');
  return `${names === '' ? 'Only with scope' : `With scope ${names} or`} \`admin\`. ${description}`.trimEnd();
}

/** Nest numbers the names of a handler with several paths, which is useless for client generators: adds the path instead. */
function nameOnce(path: string, operations: OpenAPIObject['paths'][string]): void {
  for (const method of METHODS) {
    const operation = operations[method];
    const name = operation?.operationId?.replace(/\[\d+\]$/, '');
    if (!operation || name === operation.operationId) continue;
    operation.operationId = path.startsWith('/internal/') ? `${name}Internal` : name;
  }
}

/** Documents that an object may have further members if its class says so. */
function open(schema: object & { [OPEN_EXTENSION]?: boolean; additionalProperties?: unknown }): void {
  if (schema[OPEN_EXTENSION]) schema.additionalProperties = true;
  delete schema[OPEN_EXTENSION];
}
