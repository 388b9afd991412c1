import path from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Application } from 'express';
import { PACKAGE_ROOT } from '../common/package-root.js';

/** The build puts the packages and their list there. */
const PACKAGES = path.join(PACKAGE_ROOT, 'dist', 'clients');
const URL = '/clients/';
const TYPES: Readonly<Record<string, string>> = { '.tgz': 'application/gzip', '.whl': 'application/zip' };

/**
 * Serves the server's own client packages, so that npm and pip can install them from its address: `/clients/waystation-client.tgz`. The
 * list at `/clients/` is a page, or JSON if preferred.
 */
export function serveClients(app: NestExpressApplication): void {
  const { router } = app.getHttpAdapter().getInstance() as Application;
  router.get('/clients', (request, response, next) => {
    if (!request.path.endsWith('/')) return response.redirect(302, URL);
    response.vary('Accept');
    const isJson = request.accepts(['html', 'json']) === 'json';
    request.url = `${URL}index.${isJson ? 'json' : 'html'}`;
    next();
  });
  app.useStaticAssets(PACKAGES, {
    prefix: URL,
    index: false,
    redirect: false,
    setHeaders: (response, file) => {
      const type = TYPES[path.extname(file)];
      if (type !== undefined) response.setHeader('Content-Type', type);
    },
  });
}
