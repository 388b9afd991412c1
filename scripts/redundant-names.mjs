import ts from 'typescript';

const WRAPPER = '__name';

/**
 * The bundler names each function and class anew when it is made, in case it had to rename it. Where the engine gives it the same name by
 * itself, or nobody asks for its name, that is a call for nothing, in functions that make others for each request. Worse, a class that is
 * named anew may lose its fast shape, and then the engine compiles what makes its objects again and again, and never finishes. The call
 * becomes white space of the same length, so that the source map stays right.
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
  if (target.kind === ts.SyntaxKind.ThisKeyword) return gapsOfClass(call, name);
  if (isAnonymousFunction(target) && (nameGivenBy(call) === name || isMadeByFunction(target))) {
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

/** `static { __name(this, "…") }`: the whole block, or the call where something else stands in it, too. */
function gapsOfClass(call, name) {
  const statement = call.parent;
  const block = statement.parent?.parent;
  if (!ts.isExpressionStatement(statement) || !block || !ts.isClassStaticBlockDeclaration(block)) return [];
  const owner = block.parent;
  const given = owner.name ? owner.name.text : nameGivenBy(owner);
  if (given !== name) return [];
  const unneeded = block.body.statements.length === 1 ? block : statement;
  return [[unneeded.getStart(), unneeded.end]];
}

/** An arrow function within another: its name is for stack traces alone, which show the one that the engine gives just as well. */
function isMadeByFunction(node) {
  return ts.isArrowFunction(node) && ts.findAncestor(node.parent, ts.isFunctionLike) !== undefined;
}

function isAnonymousFunction(node) {
  return ts.isArrowFunction(node) || (ts.isFunctionExpression(node) && !node.name);
}

/** What the engine calls an anonymous function or class that stands in place of the node; null for nothing, or where that is not certain. */
function nameGivenBy(node) {
  const { parent } = node;
  const isNamer =
    (isNamedMember(parent) && parent.initializer === node) ||
    (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken && parent.right === node);
  if (!isNamer) return null;
  const named = ts.isBinaryExpression(parent) ? parent.left : parent.name;
  return ts.isIdentifier(named) || (ts.isPropertyAssignment(parent) && ts.isStringLiteral(named)) ? named.text : null;
}

/** Whether it names what stands in it: a variable, a field of an object or of a class. */
function isNamedMember(node) {
  return ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) || ts.isPropertyDeclaration(node);
}

function isFunctionOfBlock(name, block) {
  return Boolean(block.statements?.some((node) => ts.isFunctionDeclaration(node) && node.name?.text === name));
}
