import path from 'node:path';
import ts from 'typescript';

const PROJECT = path.resolve(import.meta.dirname, '../..');

const OPTIONS: ts.CompilerOptions = {
  ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true },
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
  // Instead of `npm i http://127.0.0.1:8000/clients/waystation-client.tgz`.
  paths: { '@waystation/client': [path.join(PROJECT, 'dist/client/waystation-client.d.ts')] },
  // The client's declarations must be valid too; Node's are not part of this project.
  skipLibCheck: false,
};

/**
 * The errors of a strict compiler in programs that import the built package by name: one line per error, with the program's name.
 * @param programs texts of modules by name, such as `guide-1`
 */
export function strictErrors(programs: Readonly<Record<string, string>>): string[] {
  const files = new Map(Object.entries(programs).map(([name, text]) => [path.join(PROJECT, `${name}.mts`), text]));
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, readFile, getSourceFile } = host;
  host.getCurrentDirectory = () => PROJECT;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  host.getSourceFile = (file, version) => {
    const text = files.get(file);
    return text === undefined ? getSourceFile(file, version) : ts.createSourceFile(file, text, version);
  };
  const program = ts.createProgram([...files.keys()], OPTIONS, host);
  const own = program.getSourceFiles().filter(({ fileName }) => !fileName.includes('/node_modules/'));
  return own.flatMap((file) =>
    [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map((fault) =>
      wordsOf(file, fault),
    ),
  );
}

function wordsOf(file: ts.SourceFile, { start = 0, messageText }: ts.Diagnostic): string {
  const line = file.getLineAndCharacterOfPosition(start).line + 1;
  return `${path.relative(PROJECT, file.fileName)}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
}
