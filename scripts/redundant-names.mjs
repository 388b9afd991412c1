import ts from 'typescript';

const WRAPPER = '__name';

/**
 * The bundler names each function anew when it is made, in case it had to rename it. Where the engine gives the function the same name by
 * itself, that is a call for nothing, in functions that make others for each request. It becomes white space of the same length, so that
 * the source map stays right.
 * @param {string} text of a file that esbuild wrote @returns {string}
 */
export function withoutRedundantNames(text) {
  if (!text.includes(`${WRAPPER}(`)) return text;
  const gaps = [];
  const visit = (node) => {
    if (isNaming(node)) gaps.push(...gapsOf(node, text));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('bundle.js', text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS));
  gaps.sort(([a], [b]) => a - b);
  let kept = '';
  let at = 0;
  for (const [from, to] of gaps) {
    kept += text.slice(at, from) + ' '.repeat(to - from);
    at = to;
  }
  return kept + text.slice(at);
}

/** `__name(…, "…")` */
function isNaming(node) {
  return (
    ts.isCallExpression(node) &&
    ts.isIdentifier(node.expression) &&
    node.expression.text === WRAPPER &&
    node.arguments.length === 2 &&
    ts.isStringLiteral(node.arguments[1])
  );
}

function gapsOf(call, text) {
  const [target, { text: name }] = call.arguments;
  if (isAnonymousFunction(target) && nameGivenBy(call) === name) {
    // The brackets of the call stay around the function, which takes its name through them.
    const open = text.indexOf('(', call.expression.end);
    return [
      [call.getStart(), open],
      [target.end, call.end - 1],
    ];
  }
  const isDeclared = ts.isIdentifier(target) && target.text === name && ts.isExpressionStatement(call.parent);
  if (!isDeclared || !isFunctionOfBlock(name, call.parent.parent)) return [];
  return [[call.parent.getStart(), call.parent.end]];
}

function isAnonymousFunction(node) {
  return ts.isArrowFunction(node) || (ts.isFunctionExpression(node) && !node.name);
}

/** What the engine calls an anonymous function that stands in place of the call; null for nothing, or where that is not certain. */
function nameGivenBy(call) {
  const { parent } = call;
  const isNamer =
    ((ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) && parent.initializer === call) ||
    (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken && parent.right === call);
  if (!isNamer) return null;
  const named = ts.isBinaryExpression(parent) ? parent.left : parent.name;
  return ts.isIdentifier(named) || (ts.isPropertyAssignment(parent) && ts.isStringLiteral(named)) ? named.text : null;
}

function isFunctionOfBlock(name, block) {
  return Boolean(block.statements?.some((node) => ts.isFunctionDeclaration(node) && node.name?.text === name));
}
