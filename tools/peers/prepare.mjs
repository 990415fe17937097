// Prepares every client for the peer tests: `node tools/peers/prepare.mjs`.
await import('./kubectl.mjs')
await import('./clients.mjs')
await import('./guest.mjs')
