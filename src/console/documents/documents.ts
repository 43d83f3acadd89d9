// The first page was the reference once: addresses of operations and schemas in it lead to where they are now.
if (location.pathname === '/docs' && location.hash !== '') location.replace(`/docs/api${location.hash}`)
