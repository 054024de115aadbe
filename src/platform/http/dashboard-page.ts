import type { Request, Response } from 'express';

/** The page of the dashboard, as the answer to a form. Its scripts show what belongs to the form's address. */
export abstract class DashboardPage {
  /** Sends the page with this status; 503 where it is not built. */
  abstract send(request: Request, response: Response, status: number): void;
}
