/** What the rows of one page may have together: 4 MiB with what is written around them. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024 - 32 * 1024;

/**
 * The first of some rows, in an order, that have this size together; one at least. `rows` is a query, `size` and `order`
 * are expressions of its columns; `is_cut` tells whether rows were left out. Sizes are read without the values themselves.
 */
export function withinBytes(rows: string, size: string, order: string): string {
  return `
    SELECT * FROM (
      SELECT sized.*, bool_or(is_beyond) OVER () AS is_cut FROM (
        SELECT counted.*, bytes_to > ${MAX_PAGE_BYTES} AND number > 1 AS is_beyond FROM (
          SELECT listed.*, sum(${size}) OVER in_order AS bytes_to, row_number() OVER in_order AS number
          FROM (${rows}) listed WINDOW in_order AS (ORDER BY ${order})
        ) counted
      ) sized
    ) page WHERE NOT is_beyond`;
}
