// The clone's own package runs its sources unbuilt, which Node refuses below node_modules: packing it would make a
// package that cannot start. npm also runs this before `npm run pack`, which it lets through.

if (!/^run/.test(process.env.npm_command ?? "")) {
  process.stderr.write(
    "This folder is not packed as it is: run `npm run pack`, which writes dist/packages/*.tgz.\n",
  );
  process.exit(1);
}
