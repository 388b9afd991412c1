/** Makes the image where it is missing. Answers its name. */
export function makeBaseImage(engine: string): string;
