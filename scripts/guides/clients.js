// The page's commands name the server that it came from.
for (const code of globalThis.document.querySelectorAll('code')) {
  code.textContent = code.textContent.replaceAll('http://127.0.0.1:8000', globalThis.location.origin);
}
