interface Named {
  readonly group: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** A work contains one of the agent's own Secrets. */
export class OwnSecretError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'OwnSecretError'
  }
}

/**
 * The Secrets of the agent itself: all in its namespace, which holds its hub credentials, bootstrap kubeconfigs,
 * sealing keys and service account tokens. No work may read or write one, with or without an executor: its user could
 * act as the agent, on the hub and on the cluster.
 */
export class OwnSecrets {
  readonly #namespace: string

  constructor(namespace: string) {
    this.#namespace = namespace
  }

  has({ group, resource, namespace }: Named): boolean {
    return group === '' && resource === 'secrets' && namespace === this.#namespace
  }

  /** Why works may not use an object; undefined if it is not one of the agent's Secrets. */
  refusal(ref: Named): string | undefined {
    if (!this.has(ref)) return undefined
    return (
      `works cannot read or change Secrets in namespace ${JSON.stringify(ref.namespace)}, where the agent stores its ` +
      'credentials: use another namespace'
    )
  }

  /** Throws `OwnSecretError` if an object is one of the agent's Secrets. */
  check(ref: Named): void {
    const refusal = this.refusal(ref)
    if (refusal !== undefined) throw new OwnSecretError(refusal)
  }
}
