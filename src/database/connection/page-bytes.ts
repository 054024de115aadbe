/** The most bytes that the rows of one page may have: 4 MiB with the JSON around them. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024 - 32 * 1024;

/**
 * Selects the first rows of the query `rows`, in the order `order`, that fit into one page; the first row always fits.
 * `size` and `order` are expressions over its columns. The column `is_cut` is true when rows were left out. PostgreSQL
 * computes the sizes of long values without reading them.
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
