import type { Environment } from '../../../config/env-reader.js';

const REFERENCE = /\$(\$\{|\{([^{}]*)\}|\{)/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Puts the environment's values in place of `${NAME}`; `$${` stands for `${` itself.
 * Answers the text and, apart from it, what is wrong: a variable that is not set, or no variable.
 */
export function replaceVariables(text: string, variables: Environment): { text: string; faults: string[] } {
  const faults: string[] = [];
  const replaced = text.replace(REFERENCE, (whole, _rest: string, name: string | undefined) => {
    if (whole === '$${') return '${';
    if (name === undefined || !NAME.test(name)) {
      faults.push('has a ${ without a variable name and } after it; write $${ for a literal ${');
      return '';
    }
    const value = variables[name];
    if (value === undefined) faults.push(`needs the environment variable ${name}, which is not set`);
    return value ?? '';
  });
  return { text: replaced, faults };
}
