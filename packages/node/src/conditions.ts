// For programs that only read the status of nodes and pods: nothing here loads the node itself.

/** The condition of a node that shows whether it isolates programs from the machine's files and processes. */
export const ISOLATION_CONDITION = 'orrery.dev/PodIsolation'

/**
 * The condition of a pod with played containers: its status looks like that of a running pod, but nothing listens on
 * its ports.
 */
export const PLAYED_CONDITION = 'orrery.dev/Played'
