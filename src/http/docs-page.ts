import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { OpenAPIObject, SwaggerCustomOptions } from '@nestjs/swagger';
import type { Application } from 'express';
import { PACKAGE_ROOT } from '../common/package-root.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Parameter = Extract<NonNullable<Operation['parameters']>[number], { name: string }>;
type Body = Extract<NonNullable<Operation['requestBody']>, { content: unknown }>;

/** The build puts the guides there, as pages and as text. */
const GUIDES = path.join(PACKAGE_ROOT, 'dist', 'guides');
const GUIDES_URL = '/docs/guides/';
const GUIDE = /\.md$/;

/** What exists after the README's first commands. Only prefills requests that change nothing. */
const README_VALUES: Readonly<Record<string, string | number>> = {
  thread_id: 'hello',
  trace_id: 'run-1',
  step: 0,
  agent_id: 'support',
};

/**
 * A plug-in of Swagger UI as browser code, which neither the compiler nor the bundler may change. The curl box names the token instead of
 * showing it, because people copy it into chats and tickets. An option that begins with a dash is printed unchanged, in double quotes.
 */
const PLUGIN = String.raw`function (system) {
  var h = system.React.createElement;
  function withoutToken(request) {
    var headers = request && request.get('headers');
    var name = headers && headers.keySeq().find(function (key) { return key.toLowerCase() === 'authorization'; });
    if (!name) return request;
    return request
      .deleteIn(['headers', name])
      .set('curlOptions', system.Im.List(['-H "Authorization: Bearer $TOKEN"']));
  }
  return {
    components: { Logo: function () { return h('span', { className: 'waystation-name' }, 'Waystation'); } },
    wrapComponents: {
      curl: function (Original) {
        return function (props) { return h(Original, Object.assign({}, props, { request: withoutToken(props.request) })); };
      },
    },
  };
}`;

const CSS = `
.swagger-ui .topbar { background: #124e5a; padding: 8px 0; }
.swagger-ui .topbar .waystation-name { color: #fff; font: 600 22px sans-serif; }
.swagger-ui .topbar a { margin-left: -10px; text-decoration: none; }
.swagger-ui .topbar .dark-mode-toggle { margin-left: auto; }
.swagger-ui .info { margin: 30px 0; }
`;

/** The look of the reference and what it sends. */
export const DOCS_PAGE: SwaggerCustomOptions = {
  // The build puts Swagger UI's files there.
  customSwaggerUiPath: path.join(PACKAGE_ROOT, 'dist', 'swagger-ui'),
  customSiteTitle: 'Waystation API',
  customfavIcon: '/favicon.ico',
  customCss: CSS,
  patchDocumentOnRequest: ((request: { originalUrl: string }, _response: unknown, document: OpenAPIObject) =>
    request.originalUrl.startsWith('/docs-json') ? document : forPage(document)) as NonNullable<
    SwaggerCustomOptions['patchDocumentOnRequest']
  >,
  swaggerOptions: {
    persistAuthorization: false,
    displayRequestDuration: true,
    plugins: [Object.assign(() => undefined, { toString: () => PLUGIN })],
  },
};

/** Serves the guides as pages, such as `/docs/guides/channels`, and with `.md` as text. */
export function serveGuides(app: NestExpressApplication): void {
  app.useStaticAssets(GUIDES, {
    prefix: GUIDES_URL,
    extensions: ['html'],
    // Redirects would have other headers.
    redirect: false,
    setHeaders: (response, file) => {
      if (GUIDE.test(file)) response.setHeader('Content-Type', 'text/plain; charset=utf-8');
    },
  });
  const { router } = app.getHttpAdapter().getInstance() as Application;
  router.get('/docs/guides', (request, response, next) => {
    if (request.path.endsWith('/')) next();
    else response.redirect(302, GUIDES_URL);
  });
}

/** The document for the page: a request sends what people fill in, without examples. */
function forPage(document: OpenAPIObject): OpenAPIObject {
  const page = structuredClone(document);
  page.info.description = `${page.info.description ?? ''}\n\n${guideLinks()}`;
  for (const operations of Object.values(page.paths)) {
    for (const [method, operation] of Object.entries(operations)) fillIn(operation as Operation, method, page);
  }
  return page;
}

function fillIn({ parameters = [], requestBody }: Operation, method: string, page: OpenAPIObject): void {
  for (const parameter of parameters) {
    if ('name' in parameter) showExample(parameter, method === 'get');
  }
  if (requestBody && 'content' in requestBody) beginEmpty(requestBody, page);
}

/** Swagger UI sends every example and default: moves them to the description, except for what a read needs. */
function showExample(parameter: Parameter, isRead: boolean): void {
  const schema = (parameter.schema ?? {}) as Record<string, unknown>;
  const { example = schema.example } = parameter;
  const words = [parameter.description, wordsFor('Default', schema.default), wordsFor('Example', example)];
  parameter.description = words.filter((word) => word !== undefined).join(' ');
  delete parameter.example;
  delete schema.example;
  delete schema.default;
  if (parameter.required && isRead && parameter.name in README_VALUES)
    parameter.example = README_VALUES[parameter.name];
}

function wordsFor(name: string, value: unknown): string | undefined {
  return value === undefined ? undefined : `${name}: \`${String(value)}\`.`;
}

/** Otherwise a body would be prefilled with invented names, and one click would store them. */
function beginEmpty({ content }: Body, page: OpenAPIObject): void {
  for (const media of Object.values(content)) {
    const example: unknown = media.example ?? exampleOf(media.schema, page);
    delete media.example;
    media.examples = {
      empty: { summary: 'Nothing filled in', value: {} },
      ...(example === undefined ? {} : { example: { summary: 'An example', value: example } }),
    };
  }
}

/** The examples of a body's members; undefined if there are none. */
function exampleOf(schema: unknown, page: OpenAPIObject): unknown {
  const { $ref, example, properties } = (schema ?? {}) as {
    $ref?: string;
    example?: unknown;
    properties?: Record<string, unknown>;
  };
  if ($ref !== undefined) return exampleOf(page.components?.schemas?.[$ref.split('/').at(-1) ?? ''], page);
  if (example !== undefined || properties === undefined) return example;
  const members = Object.entries(properties).map(([name, member]) => [name, exampleOf(member, page)] as const);
  const shown = members.filter(([, value]) => value !== undefined);
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}

function guideLinks(): string {
  const names = readdirSync(GUIDES).filter((name) => GUIDE.test(name));
  const links = names.map((name) => `[${titleOf(name)}](${GUIDES_URL}${name.replace(GUIDE, '')})`);
  return `[Guides](${GUIDES_URL}): ${links.join(', ')}.`;
}

/** The heading of a guide, up to its colon. */
function titleOf(name: string): string {
  const [first = name] = readFileSync(path.join(GUIDES, name), 'utf8').split('\n', 1);
  return first.replace(/^# /, '').split(':', 1)[0] ?? name;
}
