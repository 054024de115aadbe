import { parser } from '@prometheus-io/lezer-promql';

type Node = ReturnType<typeof parser.parse>['topNode'];

interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** A metric that a query reads. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

export interface Query {
  readonly selectors: readonly Selector[];
  /** The labels of each `by`, with the metrics that it groups. */
  readonly groupings: readonly { readonly labels: readonly string[]; readonly metrics: readonly string[] }[];
}

/** The metrics that a query reads. Throws for invalid PromQL. */
export function readQuery(text: string): Query {
  const root = parser.parse(text).topNode;
  const textOf = ({ from, to }: Node): string => text.slice(from, to);
  const broken = below(root).find(({ type }) => type.isError);
  if (broken !== undefined) throw new Error(`no PromQL at ${broken.from}: ${text}`);
  const selectorsIn = (node: Node): Selector[] =>
    named(node, 'VectorSelector').map((selector) => ({
      metric: named(selector, 'Identifier').map(textOf).join(),
      matchers: named(selector, 'UnquotedLabelMatcher').map((matcher) => {
        const [label, operator, value] = ['LabelName', 'MatchOp', 'StringLiteral'].map((name) =>
          named(matcher, name).map(textOf).join(),
        );
        return { label: label ?? '', operator: operator ?? '', value: (value ?? '').slice(1, -1) };
      }),
    }));
  const groupings = named(root, 'AggregateExpr').map((aggregate) => ({
    labels: aggregate
      .getChildren('AggregateModifier')
      .flatMap((modifier) => named(modifier, 'LabelName').map(textOf)),
    metrics: selectorsIn(aggregate).map(({ metric }) => metric),
  }));
  return { selectors: selectorsIn(root), groupings };
}

function below(node: Node): Node[] {
  const nodes: Node[] = [];
  node.cursor().iterate((cursor) => void nodes.push(cursor.node));
  return nodes;
}

function named(node: Node, name: string): Node[] {
  return below(node).filter((each) => each.name === name);
}
