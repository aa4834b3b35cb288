extension HandlerFault: InputFault {
    package var faultCode: String { "handlers" }
}
