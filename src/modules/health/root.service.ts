import { Injectable } from '@nestjs/common';
import { DomainError } from '../../common/domain-error.js';

const WHERE =
  'This is the API of Waystation. The console is at /console/, the guides are at /docs/guides/, the reference is at /docs and, for programs, at /docs-json.';

/** Decides who gets a page at the server's root. */
@Injectable()
export class RootService {
  /** @throws DomainError `route_not_found` with a helpful message if the caller does not want a page */
  checkIsForPage(accept: string | undefined): void {
    if (!wantsPage(accept)) throw new DomainError('not_found', 'route_not_found', WHERE);
  }
}

/** Whether the caller is a browser opening a page. Programs accept anything (curl), JSON, or send no header. */
export function wantsPage(accept: string | undefined): boolean {
  const ranges = accept?.toLowerCase().split(',') ?? [];
  return ranges.some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim());
    return type === 'text/html' && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}
