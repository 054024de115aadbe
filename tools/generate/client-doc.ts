import ts from 'typescript';

import { withTables, type Row } from './tables.ts';

type Read = (path: string) => string;
type Named = ts.Node & { readonly name?: ts.Node };

const SOURCES = 'packages/client/src/';

/** The text of docs/using/client.md with the table of all that `paybell-client` exports, from its sources and their comments. */
export function clientDoc(text: string, read: Read): Promise<string> {
  const rows = exportsOf('index.ts', read).flatMap(rowsOf);
  return withTables(text, { exports: () => [['name', 'type', 'meaning'], ...rows] });
}

/** The declarations of what a module passes on, in the order of its list. */
function exportsOf(module: string, read: Read): ts.Node[] {
  return statementsOf(module, read)
    .filter(ts.isExportDeclaration)
    .flatMap((list) => namesOf(list).map((name) => declarationOf(name, moduleOf(list), read)));
}

function declarationOf(name: string, module: string, read: Read): ts.Node {
  const statements = statementsOf(module, read);
  const found = statements.find((statement) => nameOf(statement) === name);
  if (found !== undefined) return found;
  const list = statements.filter(ts.isExportDeclaration).find((each) => namesOf(each).includes(name));
  if (list === undefined) throw new Error(`${SOURCES}${module} does not export ${name}`);
  return declarationOf(name, moduleOf(list), read);
}

function statementsOf(module: string, read: Read): readonly ts.Statement[] {
  return ts.createSourceFile(module, read(SOURCES + module), ts.ScriptTarget.Latest, true).statements;
}

function namesOf({ exportClause }: ts.ExportDeclaration): string[] {
  return exportClause !== undefined && ts.isNamedExports(exportClause)
    ? exportClause.elements.map(({ name }) => name.text)
    : [];
}

function moduleOf({ moduleSpecifier }: ts.ExportDeclaration): string {
  return (moduleSpecifier as ts.StringLiteral).text.replace('./', '');
}

function nameOf(node: ts.Node): string {
  return (node as Named).name?.getText() ?? '';
}

/** A row for the declaration, and one for each method of a class. */
function rowsOf(declaration: ts.Node): Row[] {
  const name = nameOf(declaration);
  const members = ts.isClassDeclaration(declaration) ? declaration.members.filter(isPublicMethod) : [];
  return [declaration, ...members].map((node) => {
    const fullName = node === declaration ? name : `${name}.${nameOf(node)}`;
    return [`\`${fullName}\``, `\`${typeOf(node).replaceAll('|', '\\|')}\``, meaningOf(node, fullName)];
  });
}

function isPublicMethod(member: ts.ClassElement): member is ts.MethodDeclaration {
  const isHidden = (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) !== 0;
  return ts.isMethodDeclaration(member) && !isHidden;
}

function typeOf(node: ts.Node): string {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node))
    return oneLine(`${parametersOf(node)} => ${node.type?.getText() ?? 'void'}`);
  if (ts.isTypeAliasDeclaration(node)) return oneLine(node.type.getText()).replace(/^\| /, '');
  if (ts.isInterfaceDeclaration(node)) return `{ ${node.members.map(nameOf).join(', ')} }`;
  return ts.isClassDeclaration(node) ? kindOf(node) : '';
}

/** What a class stands for, or how one is made. */
function kindOf({ heritageClauses, members }: ts.ClassDeclaration): string {
  const built = members.find(ts.isConstructorDeclaration);
  if (built === undefined || heritageClauses !== undefined)
    return oneLine(heritageClauses?.[0]?.getText() ?? '');
  return oneLine(`new ${parametersOf(built)}`);
}

function parametersOf({ parameters }: ts.SignatureDeclaration): string {
  const texts = parameters.map((each) => {
    const [name, type] = [each.name.getText(), each.type?.getText() ?? ''];
    const isOptional = each.questionToken !== undefined || each.initializer !== undefined;
    return `${name.startsWith('{') ? 'options' : name}${isOptional ? '?' : ''}: ${type}`;
  });
  return `(${texts.join(', ')})`;
}

/** A name without a comment would be in the package without a word. */
function meaningOf(node: ts.Node, name: string): string {
  const comment = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc)?.comment;
  if (comment === undefined) throw new Error(`${SOURCES}: ${name} has no comment that says what it is`);
  return oneLine(ts.getTextOfJSDocComment(comment) ?? '').replaceAll('|', '\\|');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
