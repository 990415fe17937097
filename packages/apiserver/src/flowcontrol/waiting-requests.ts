/**
 * The maximum number of seats of one tenant's requests that wait for other servers. A seat stands for up to 300 KB of a
 * body, which stays in memory meanwhile.
 */
const MAX_WAITING = 500

const SERVICE_ACCOUNT = /^system:serviceaccount:[^:]*/

/**
 * The requests that wait for other servers, such as webhooks. They have no seats, which would limit their number, so each
 * tenant has a limit: the service accounts of a namespace are one tenant.
 */
export class WaitingRequests {
  readonly #seats = new Map<string, number>()

  /** Counts a request. Returns false, and does not count it, if too many of its tenant wait. */
  add(username: string, seats: number): boolean {
    const waiting = this.#seats.get(tenantOf(username)) ?? 0
    if (waiting + seats > MAX_WAITING) return false
    this.addAnyway(username, seats)
    return true
  }

  /** Counts a request that can no longer be refused. */
  addAnyway(username: string, seats: number): void {
    const tenant = tenantOf(username)
    this.#seats.set(tenant, (this.#seats.get(tenant) ?? 0) + seats)
  }

  remove(username: string, seats: number): void {
    const tenant = tenantOf(username)
    const waiting = (this.#seats.get(tenant) ?? 0) - seats
    if (waiting > 0) this.#seats.set(tenant, waiting)
    else this.#seats.delete(tenant)
  }
}

function tenantOf(username: string): string {
  return SERVICE_ACCOUNT.exec(username)?.[0] ?? username
}
