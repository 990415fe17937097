interface Named {
  readonly group: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** A work is about a Secret of the agent itself. */
export class OwnSecretError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OwnSecretError'
  }
}

/**
 * Knows the Secrets of the agent itself: those in its namespace, where its hub identity, bootstrap kubeconfigs, sealing keys
 * and the tokens of its service account are. No work reads or writes one, with or without an executor: with them a
 * user could act as the agent, on the hub and on the cluster.
 */
export class OwnSecrets {
  readonly #namespace: string

  constructor(namespace: string) {
    this.#namespace = namespace
  }

  has({ group, resource, namespace }: Named): boolean {
    return group === '' && resource === 'secrets' && namespace === this.#namespace
  }

  /** Why works can do nothing with an object; undefined when it is not the agent's. */
  refusal(ref: Named): string | undefined {
    if (!this.has(ref)) return undefined
    return (
      `works cannot read or change Secrets in namespace ${JSON.stringify(ref.namespace)}, where the agent keeps its ` +
      'credentials: use another namespace'
    )
  }

  /** Throws `OwnSecretError` when an object is the agent's. */
  check(ref: Named): void {
    const refusal = this.refusal(ref)
    if (refusal !== undefined) throw new OwnSecretError(refusal)
  }
}
