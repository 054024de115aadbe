import ts from 'typescript';

const { SyntaxKind } = ts;

/** A change of a node. `after` null removes the statement. */
export interface Change {
  readonly node: ts.Node;
  readonly after: string | null;
}

/** The replacements of each binary operator. */
const SWAPPED: ReadonlyMap<ts.SyntaxKind, readonly string[]> = new Map([
  [SyntaxKind.LessThanToken, ['<=', '>=']],
  [SyntaxKind.LessThanEqualsToken, ['<', '>']],
  [SyntaxKind.GreaterThanToken, ['>=', '<=']],
  [SyntaxKind.GreaterThanEqualsToken, ['>', '<']],
  [SyntaxKind.EqualsEqualsEqualsToken, ['!==']],
  [SyntaxKind.ExclamationEqualsEqualsToken, ['===']],
  [SyntaxKind.AmpersandAmpersandToken, ['||']],
  [SyntaxKind.BarBarToken, ['&&']],
  [SyntaxKind.PlusToken, ['-']],
  [SyntaxKind.MinusToken, ['+']],
  [SyntaxKind.AsteriskToken, ['/']],
  [SyntaxKind.SlashToken, ['*']],
  [SyntaxKind.PercentToken, ['*']],
  [SyntaxKind.AsteriskAsteriskToken, ['*']],
  [SyntaxKind.BarToken, ['&']],
  [SyntaxKind.AmpersandToken, ['|']],
  [SyntaxKind.PlusEqualsToken, ['-=']],
  [SyntaxKind.MinusEqualsToken, ['+=']],
  [SyntaxKind.AsteriskEqualsToken, ['/=']],
]);

/** Methods that are easily confused. */
const SWAPPED_METHODS: ReadonlyMap<string, string> = new Map([
  ['min', 'max'],
  ['max', 'min'],
  ['some', 'every'],
  ['every', 'some'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['round', 'floor'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['padStart', 'padEnd'],
  ['padEnd', 'padStart'],
]);

/** Methods that return the object itself or a part of it: a mutant can leave out the call. */
const LEFT_OUT = new Set([
  'filter',
  'slice',
  'trim',
  'sort',
  'toSorted',
  'reverse',
  'replace',
  'replaceAll',
  'concat',
]);

/** Larger numbers are sizes or durations, for which one more or less is no fault: a mutant doubles or halves them. */
const LARGE = 1_000;
const WORD = /^[\w.-]+$/;

/** The changes of one expression, without those of the expressions in it. */
export function expressionMutants(node: ts.Node, file: ts.SourceFile): readonly Change[] {
  const changes = afters(node, file).map((after) => ({ node, after }));
  const condition = conditionOf(node);
  if (condition === null) return changes;
  const forced = ts.isWhileStatement(node) || ts.isForStatement(node) ? ['false'] : ['true', 'false'];
  return [...changes, ...forced.map((after) => ({ node: condition, after }))];
}

function conditionOf(node: ts.Node): ts.Expression | null {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return node.expression;
  if (ts.isConditionalExpression(node) || ts.isForStatement(node)) return node.condition ?? null;
  return null;
}

function afters(node: ts.Node, file: ts.SourceFile): readonly string[] {
  const text = (part: ts.Node): string => part.getText(file);
  if (node.kind === SyntaxKind.TrueKeyword) return ['false'];
  if (node.kind === SyntaxKind.FalseKeyword) return ['true'];
  if (ts.isNumericLiteral(node) || ts.isBigIntLiteral(node)) return numbers(node);
  if (ts.isStringLiteral(node)) return strings(node);
  if (ts.isBinaryExpression(node)) return binaries(node, text);
  if (ts.isPrefixUnaryExpression(node)) return isSign(node) ? [text(node.operand)] : [];
  if (ts.isArrayLiteralExpression(node)) return arrays(node);
  if (ts.isRegularExpressionLiteral(node)) return patterns(node.text);
  if (isChainEnd(node)) return unchained(node, file);
  return ts.isCallExpression(node) ? calls(node, text) : [];
}

function isSign({ operator }: ts.PrefixUnaryExpression): boolean {
  return operator === SyntaxKind.ExclamationToken || operator === SyntaxKind.MinusToken;
}

function numbers(node: ts.NumericLiteral | ts.BigIntLiteral): readonly string[] {
  if (isForCompiler(node)) return [];
  if (ts.isBigIntLiteral(node)) return [`(${node.text} + 1n)`];
  const number = Number(node.text);
  return number < LARGE ? [String(number + 1), String(number - 1)] : [String(number * 2), String(number / 2)];
}

/** The `0` of `rates[index] ?? 0`: the element always exists, but the compiler cannot know that. */
function isForCompiler({ parent }: ts.Node): boolean {
  if (!ts.isBinaryExpression(parent) || !ts.isElementAccessExpression(parent.left)) return false;
  const isDefault = parent.operatorToken.kind === SyntaxKind.QuestionQuestionToken;
  return isDefault && !ts.isStringLiteralLike(parent.left.argumentExpression);
}

/** Changes words only: a sentence is for people. An emptied operand of a comparison is the same as a forced comparison. */
function strings(node: ts.StringLiteral): readonly string[] {
  const isCompared = ts.isBinaryExpression(node.parent);
  return WORD.test(node.text) && !isCompared ? ["''"] : [];
}

function binaries(node: ts.BinaryExpression, text: (part: ts.Node) => string): readonly string[] {
  const [left, right] = [text(node.left), text(node.right)];
  if (node.operatorToken.kind === SyntaxKind.QuestionQuestionToken) {
    // Without `??` an element of an array does not compile, although the element always exists.
    return ts.isElementAccessExpression(node.left) ? [right] : [left, right];
  }
  const isText = [node.left, node.right].some(
    (part) => ts.isStringLiteralLike(part) || ts.isTemplateExpression(part),
  );
  if (isText && node.operatorToken.kind === SyntaxKind.PlusToken) return [];
  return (SWAPPED.get(node.operatorToken.kind) ?? []).map((operator) => `${left} ${operator} ${right}`);
}

function arrays(node: ts.ArrayLiteralExpression): readonly string[] {
  const isPattern = ts.isBinaryExpression(node.parent) && node.parent.left === node;
  return node.elements.length > 0 && !isPattern ? ['[]'] : [];
}

function patterns(pattern: string): readonly string[] {
  const end = pattern.lastIndexOf('/');
  const [body, flags] = [pattern.slice(1, end), pattern.slice(end + 1)];
  return [
    ...(body.startsWith('^') ? [`/${body.slice(1)}/${flags}`] : []),
    ...(body.endsWith('$') ? [`/${body.slice(0, -1)}/${flags}`] : []),
    ...[...body.matchAll(/(?<!\\)[+*?](?!\??[:=!<])/g)].map(
      ({ index }) => `/${body.slice(0, index)}${body.slice(index + 1)}/${flags}`,
    ),
    ...(flags.includes('g') ? [`/${body}/${flags.replace('g', '')}`] : []),
  ];
}

/** The whole of an optional chain, since a part of it cannot be put into parentheses. */
function isChainEnd(node: ts.Node): node is ts.Expression {
  return ts.isOptionalChain(node) && !(ts.isOptionalChain(node.parent) && node.parent.expression === node);
}

function unchained(node: ts.Node, file: ts.SourceFile): readonly string[] {
  const marks: number[] = [];
  let part: ts.Node = node;
  while (ts.isOptionalChain(part)) {
    if ('questionDotToken' in part && part.questionDotToken !== undefined)
      marks.push(part.questionDotToken.getStart(file));
    part = part.expression;
  }
  const [start, whole] = [node.getStart(file), node.getText(file)];
  return marks.map((mark) => {
    const rest = whole.slice(mark - start + 2);
    return `${whole.slice(0, mark - start)}${/^[[(]/.test(rest) ? '' : '.'}${rest}`;
  });
}

function calls(node: ts.CallExpression, text: (part: ts.Node) => string): readonly string[] {
  const { expression } = node;
  if (!ts.isPropertyAccessExpression(expression) || ts.isOptionalChain(node)) return [];
  const [target, method] = [text(expression.expression), expression.name.text];
  const swapped = SWAPPED_METHODS.get(method);
  const swap = swapped === undefined ? [] : [`${target}.${swapped}(${node.arguments.map(text).join(', ')})`];
  return LEFT_OUT.has(method) ? [...swap, target] : swap;
}
