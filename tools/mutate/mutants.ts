import ts from 'typescript';

import { expressionMutants, type Change } from './expression-mutants.ts';

/** One change of a source file: the text from `start` to `end` becomes `written`. */
export interface Mutant {
  readonly start: number;
  readonly end: number;
  /** Counted from 1. */
  readonly line: number;
  readonly lineText: string;
  readonly before: string;
  /** Empty: it is removed. */
  readonly after: string;
  /** The replacement `after`, as it stands in its place. */
  readonly written: string;
}

/** All mutants of a TypeScript source, in the order of their places. */
export function mutantsOf(source: string): readonly Mutant[] {
  const file = ts.createSourceFile('mutated.ts', source, ts.ScriptTarget.Latest, true);
  const seen = new Set<string>();
  return changesIn(file, file).flatMap(({ node, after }) => {
    const place = { start: node.getStart(file), end: node.getEnd() };
    const written = after === null ? ';' : `(${after})`;
    const mutant = mutantAt(source, { ...place, after: after ?? '', written });
    const key = `${mutant.start} ${mutant.end} ${mutant.after}`;
    if (after === mutant.before || seen.has(key)) return [];
    seen.add(key);
    return [mutant];
  });
}

export function mutantAt(
  source: string,
  change: Pick<Mutant, 'start' | 'end' | 'after' | 'written'>,
): Mutant {
  const begin = source.lastIndexOf('\n', change.start - 1) + 1;
  const [lineText = ''] = source.slice(begin).split('\n', 1);
  const line = source.slice(0, begin).split('\n').length;
  return { ...change, line, lineText: lineText.trim(), before: source.slice(change.start, change.end) };
}

/** The source with the mutant in it. */
export function mutated(source: string, { start, end, written }: Mutant): string {
  return source.slice(0, start) + written + source.slice(end);
}

function changesIn(node: ts.Node, file: ts.SourceFile): readonly Change[] {
  if (isErased(node)) return [];
  const own = isRemovable(node) ? [{ node, after: null }] : expressionMutants(node, file);
  const inner: Change[] = [];
  ts.forEachChild(node, (child) => {
    if (!isName(child, node)) inner.push(...changesIn(child, file));
  });
  return [...own, ...inner];
}

/** True for a node that leaves no code in the program, or whose change the compiler would refuse. */
function isErased(node: ts.Node): boolean {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isDecorator(node)
  );
}

/** True for a name, which is no expression. A pattern of names may contain expressions. */
function isName(child: ts.Node, parent: ts.Node): boolean {
  const isPlain = ts.isIdentifier(child) || ts.isLiteralExpression(child);
  return isPlain && 'name' in parent && parent.name === child;
}

function isRemovable(node: ts.Node): boolean {
  if (ts.isExpressionStatement(node)) return !isSuper(node);
  return ts.isThrowStatement(node) || ts.isBreakStatement(node) || ts.isContinueStatement(node);
}

function isSuper({ expression }: ts.ExpressionStatement): boolean {
  return ts.isCallExpression(expression) && expression.expression.kind === ts.SyntaxKind.SuperKeyword;
}
