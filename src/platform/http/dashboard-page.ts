import type { Request, Response } from 'express';

/** Sends the dashboard's page as the answer to a form. The page's scripts show the screen of the form's address. */
export abstract class DashboardPage {
  /** Sends the page with this status; 503 if the dashboard is not built. */
  abstract send(request: Request, response: Response, status: number): void;
}
