import ts from 'typescript';

import { expressionMutants, type Change } from './expression-mutants.ts';

/** One change of a source file: the text from `start` to `end` becomes `after`. A statement's `after` is empty. */
export interface Mutant {
  /** Its number in the file. */
  readonly id: number;
  readonly start: number;
  readonly end: number;
  /** Counted from 1. */
  readonly line: number;
  readonly lineText: string;
  readonly before: string;
  readonly after: string;
  readonly isStatement: boolean;
}

/** All mutants of a TypeScript source, in the order of their places. */
export function mutantsOf(source: string): readonly Mutant[] {
  const file = ts.createSourceFile('mutated.ts', source, ts.ScriptTarget.Latest, true);
  const seen = new Set<string>();
  const lines = source.split('\n');
  return changesIn(file, file).flatMap(({ node, after }) => {
    const [start, end] = [node.getStart(file), node.getEnd()];
    const before = source.slice(start, end);
    const key = `${start} ${end} ${after ?? ''}`;
    if (after === before || seen.has(key)) return [];
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    const lineText = (lines[line - 1] ?? '').trim();
    const id = seen.add(key).size;
    return [{ id, start, end, line, lineText, before, after: after ?? '', isStatement: after === null }];
  });
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

/** What leaves nothing in the program, or whose change leaves another program than the compiler would accept. */
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

/** A name, which is no expression. A pattern of names may have expressions in it. */
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
