import { DomainError, MAX_FAULTS, type FieldFault } from '../../../common/domain-error.js';

/** What is wrong with a submitted rule: faults, and dangers, which are reported only if there are no faults. */
export class RuleFaults {
  private readonly faults: FieldFault[] = [];
  private readonly dangers: FieldFault[] = [];

  /** @param prefix of the paths */
  constructor(private readonly prefix: string) {}

  /** @returns null, in place of the value */
  fault(path: string, detail: string): null {
    this.faults.push({ path: this.prefix + path, detail });
    return null;
  }

  /** The rule could allow more than it says. */
  danger(path: string, detail: string): void {
    this.dangers.push({ path: this.prefix + path, detail });
  }

  /** @throws DomainError `invalid` with the code `invalid_request` */
  throwFaults(): void {
    if (this.faults.length > 0) throw invalid('invalid_request', this.faults);
  }

  /** @throws DomainError as `throwFaults`, or with the code `unsafe_rule` */
  throwAll(): void {
    this.throwFaults();
    if (this.dangers.length > 0) throw invalid('unsafe_rule', this.dangers);
  }
}

function invalid(code: string, all: readonly FieldFault[]): DomainError {
  const errors = all.slice(0, MAX_FAULTS);
  return new DomainError('invalid', code, errors.map(({ path, detail }) => `${path}: ${detail}`).join('; '), {
    errors,
  });
}
