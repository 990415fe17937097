import type { PlacementRef } from '@orrery/hub/operations'
import type { Command } from 'commander'

/** The options that select the clusters of a work. */
export interface ClusterSelectionOptions {
  readonly clusters?: readonly string[]
  readonly placement?: PlacementRef
  readonly replicaset?: boolean
}

/** Exits with a usage error unless either clusters or a placement is given. A replica set requires a placement. */
export function requireClustersOrPlacement(
  command: Command,
  { clusters, placement, replicaset = false }: ClusterSelectionOptions,
): void {
  if ((clusters === undefined) === (placement === undefined)) {
    command.error("error: either '--clusters <names>' or '--placement <namespace/name>' is required")
  }
  if (replicaset && placement === undefined) {
    command.error("error: option '--replicaset' requires '--placement <namespace/name>'")
  }
}
