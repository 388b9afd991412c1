import type { PipeTransform } from '@nestjs/common';
import { methodNotAllowed } from './unmatched-route.js';

/** For a parameter beside which there is a route with a fixed text in its place: that text is no id under any other method either. */
export class ReservedIdPipe implements PipeTransform<string, string> {
  /** @param allow the methods of the fixed route */
  constructor(
    private readonly reserved: string,
    private readonly allow: readonly string[],
  ) {}

  /** @throws DomainError `method_not_allowed` for the reserved text */
  transform(id: string): string {
    if (id === this.reserved) throw methodNotAllowed('This', this.allow);
    return id;
  }
}
