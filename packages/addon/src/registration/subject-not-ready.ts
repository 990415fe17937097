/** `status.registrations` has no subject yet that permissions can be granted to. The hub tries again when it has one. */
export class SubjectNotReady extends Error {
  constructor() {
    super('registration subject not ready')
    this.name = 'SubjectNotReady'
  }
}
