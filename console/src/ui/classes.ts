/** Joins the class names that apply, e.g. `classes('row', selected && 'selected')`. */
export function classes(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
