import { Injectable } from '@nestjs/common';
import { DomainError } from '../../common/domain-error.js';

const WHERE =
  'This is the API of Waystation. The console is at /console/, the guides are at /docs/guides/, the reference is at /docs and, for programs, at /docs-json.';

/** Knows for whom the root of the server has something. */
@Injectable()
export class RootService {
  /** @throws DomainError `route_not_found`, with words that help, if the caller does not want a page */
  checkIsForPage(accept: string | undefined): void {
    if (!wantsPage(accept)) throw new DomainError('not_found', 'route_not_found', WHERE);
  }
}

/** Whether the caller is a browser that opens a page. Programs accept anything (curl), JSON, or say nothing. */
export function wantsPage(accept: string | undefined): boolean {
  const ranges = accept?.toLowerCase().split(',') ?? [];
  return ranges.some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim());
    return type === 'text/html' && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}
