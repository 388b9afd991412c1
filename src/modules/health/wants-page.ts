/** Whether the caller is a browser that opens a page. Programs accept anything (curl), JSON, or say nothing. */
export function wantsPage(accept: string | undefined): boolean {
  const ranges = accept?.toLowerCase().split(',') ?? [];
  return ranges.some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim());
    return type === 'text/html' && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}
