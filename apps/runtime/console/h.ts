// What the build puts in place of JSX: shorter than the calls of the automatic form.
export { Fragment, h } from "preact";
